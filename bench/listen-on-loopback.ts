import { type AddressInfo, Server } from 'node:net';

// Loaded before a server that has no option for its address: whatever it asks for, it listens on the loopback interface
// only, and says where, in the words that `startChild` waits for.

const listen = Reflect.get(Server.prototype, 'listen') as (...given: readonly unknown[]) => Server;

Server.prototype.listen = function (this: Server, ...given: readonly unknown[]) {
  const [first] = given;
  const port = typeof first === 'object' && first !== null && 'port' in first ? first.port : first;
  this.once('listening', () => {
    process.stderr.write(`it listens on http://127.0.0.1:${(this.address() as AddressInfo).port}\n`);
  });
  const done = given.findLast((each) => typeof each === 'function');
  const options = { port: Number(port), host: '127.0.0.1' };
  return Reflect.apply(listen, this, done === undefined ? [options] : [options, done]);
};
