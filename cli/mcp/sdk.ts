/** The parts of the MCP SDK that `changewire mcp` uses. package/build.ts bundles this file: the packages are 20 times
 *  larger. */
export { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
export { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
