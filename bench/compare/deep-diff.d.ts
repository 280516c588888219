/** The package has no types of its own. */
declare module 'deep-diff' {
  const deepDiff: { diff(left: object, right: object): readonly object[] | undefined };
  export default deepDiff;
}
