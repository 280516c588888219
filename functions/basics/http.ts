/** `node:http` without `import`, which reads all its exports: of these, `WebSocket` loads the undici inside Node, which
 *  took 27 ms of processor time of each start. */
export const { Agent, createServer, request } = process.getBuiltinModule('node:http');
