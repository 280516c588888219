import { fileURLToPath } from 'node:url';

/** For the environment of a test's process: Node keeps what it compiled, and a start takes half the time. */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url)),
};
