import Router from '@koa/router';

const router = new Router();
router.get('/about', (context) => {
  context.body = { house: 'Acme', contact: 'platform@acme.example' };
});

/** Routes beside the API: whatever the router does not know goes on to the next middleware. */
export default router.routes();
