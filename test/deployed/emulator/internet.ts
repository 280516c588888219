import dns from 'node:dns';
import net from 'node:net';

/**
 * Loaded into each emulated function: an internet of a few names. A name of `TEST_INTERNET` (JSON: name to local port)
 * resolves to a public address, which the functions' checks see, and connections to it lead to the receiver on this
 * machine. So the functions run as deployed: HTTPS with a verified certificate, and no address that isn't public.
 */
const places = new Map<string, number>(Object.entries(JSON.parse(process.env.TEST_INTERNET ?? '{}')));

/** Looks public, and is never connected to. */
const PUBLIC = { address: '93.184.215.14', family: 4 } as const;

const lookup = dns.promises.lookup;
dns.promises.lookup = ((hostname: string, options: dns.LookupAllOptions) =>
  places.has(hostname) ? Promise.resolve([PUBLIC]) : lookup(hostname, options)) as typeof lookup;

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
  const [first] = args;
  const options = (Array.isArray(first) ? first[0] : first) as Partial<net.TcpSocketConnectOpts> | undefined;
  const port = places.get(options?.host ?? '');
  if (options?.lookup && port !== undefined) Object.assign(options, { port, lookup: led(options.lookup) });
  return Reflect.apply(connect, this, args);
} as typeof connect;

/** Asks as before, with all checks; whoever passes them is led to this machine. */
function led(asked: net.LookupFunction): net.LookupFunction {
  return (hostname, options, callback) =>
    asked(hostname, options, error => {
      if (error) callback(error, []);
      else if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
      else callback(null, '127.0.0.1', 4);
    });
}
