/** Runs a function as Lambda does, in a process of its own: `child.ts <the bundle's index.mjs>`. Each
 *  message is one invocation: `{event, ahead}`, where `ahead` is how far this process's clock runs ahead
 *  of the machine's, in ms. The answer has what the run wrote, and how long it took. */
const [, , bundle = ''] = process.argv;
let ahead = 0;
const now = Date.now;
Date.now = () => now() + ahead;

let written = '';
for (const stream of [process.stdout, process.stderr])
  stream.write = (chunk: unknown) => {
    written += String(chunk);
    return true;
  };
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const began = { cpu: cpu(), at: performance.now() };
const { handler } = (await import(bundle)) as {
  handler: (event: unknown, context: object) => Promise<unknown>;
};
process.send?.({ ready: { cpu: cpu() - began.cpu, ms: performance.now() - began.at, all: cpu() } });

process.on('message', async (run: { event: unknown; ahead: number; run: number }) => {
  ahead = run.ahead;
  written = '';
  const until = performance.now() + 890_000;
  const context = {
    awsRequestId: `7f0c9a52-3d6b-4b0e-9c1a-${String(run.run).padStart(12, '0')}`,
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    getRemainingTimeInMillis: () => until - performance.now(),
  };
  const start = { cpu: cpu(), at: performance.now() };
  let result: unknown;
  let error: string | undefined;
  try {
    result = await handler(run.event, context);
  } catch (thrown) {
    error = thrown instanceof Error ? `${thrown.stack}` : String(thrown);
  }
  const ms = performance.now() - start.at;
  process.send?.({
    ms,
    cpu: cpu() - start.cpu,
    written,
    result,
    error,
    peakMb: process.resourceUsage().maxRSS / 1024,
  });
});
process.once('disconnect', () => process.exit(0));
