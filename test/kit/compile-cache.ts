import { fileURLToPath } from 'node:url';

/** Variables for a test's child process: Node keeps its compiled code, so that a start takes half the
 *  time. */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url)),
};
