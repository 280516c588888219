/** Not there yet. */
export const handler = async (): Promise<never> => {
  throw new Error('not there yet');
};
