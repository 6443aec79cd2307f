import { createServer } from 'node:http';

// A separate process that receives webhooks: at /hang/… it never answers. GET / returns how many arrived, and when each
// to /ok/… did.

const arrivals: { readonly path: string; readonly at: number }[] = [];

const server = createServer((request, response) => {
  const { method, url = '' } = request;
  if (method === 'GET') {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(url === '/count' ? arrivals.length : arrivals));
    return;
  }
  request.resume();
  if (url.startsWith('/hang/')) return;
  arrivals.push({ path: url, at: Date.now() });
  request.on('end', () => response.writeHead(204).end());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stderr.write(`it listens on http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
});
process.once('SIGTERM', () => process.exit());
