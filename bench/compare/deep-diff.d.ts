/** It comes without types. */
declare module 'deep-diff' {
  const deepDiff: { diff(left: object, right: object): readonly object[] | undefined };
  export default deepDiff;
}
