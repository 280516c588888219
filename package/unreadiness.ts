/** Why this state of the checkout can't be released, in a line; undefined: it can.
 *  `changed`: the output of `git status --porcelain`. */
export function unreadiness(state: {
  readonly version: string;
  readonly changelog: string;
  readonly changed: string;
}): string | undefined {
  const { version, changelog, changed } = state;
  if (changed !== '')
    return 'There are uncommitted changes: commit them first, because a release is made from a commit.';
  const heading = changelog.split('\n').find(line => line.startsWith('## '));
  if (
    heading === undefined ||
    !new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d\\d-\\d\\d\\)$`).test(heading)
  )
    return `The first heading of CHANGELOG.md must be "## ${version} (YYYY-MM-DD)", the version of package.json; found "${heading ?? ''}".`;
  return undefined;
}
