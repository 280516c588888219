/** Finds values by key, fastest if the keys are asked for in the order of the map: then no key is looked up,
 *  which is slow for thousands of strings that were not hashed yet. The tasks of a project nearly always come
 *  in the order in which they are stored. */
export function inOrder<Value>(values: ReadonlyMap<string, Value>): (key: string) => Value | undefined {
  const keys = [...values.keys()];
  const ordered = [...values.values()];
  let place = -1;
  return key => {
    place += 1;
    return keys[place] === key ? ordered[place] : values.get(key);
  };
}
