import Koa from 'koa';

/**
 * A Koa whose middleware answers past it. Koa watches every socket and answer for errors, to end those that it has begun
 * itself; with nothing to end, that would be a good part of what a small request costs.
 *
 * It runs its first middleware only, which is the one that answers.
 */
export class DirectKoa extends Koa {
  override callback(): ReturnType<Koa['callback']> {
    return async (message, response) => {
      try {
        const context = this.createContext(...([message, response] as Parameters<Koa['createContext']>));
        context.respond = false;
        await this.middleware[0]?.(context, async () => undefined);
      } catch (error) {
        this.emit('error', error);
        response.destroy();
      }
    };
  }
}
