/** The name of the store's file in a data directory. In its own module, so that a check for the file does not load the
 *  store. */
export const STORE_FILE = 'changewire.sqlite';
