/** Why this state of the checkout can't be released, in a line; undefined: it can.
 *  `changed`: what `git status --porcelain` prints. */
export function unreadiness(state: {
  readonly version: string;
  readonly changelog: string;
  readonly changed: string;
}): string | undefined {
  const { version, changelog, changed } = state;
  if (changed !== '')
    return 'There are changes that are not committed: commit them first, because a release is of a commit.';
  const heading = changelog.split('\n').find(line => line.startsWith('## '));
  if (
    heading === undefined ||
    !new RegExp(`^## ${version.replaceAll('.', '\\.')} \\(\\d{4}-\\d\\d-\\d\\d\\)$`).test(heading)
  )
    return `CHANGELOG.md must begin with "## ${version} (YYYY-MM-DD)", the version of package.json, and begins with "${heading ?? ''}".`;
  return undefined;
}
