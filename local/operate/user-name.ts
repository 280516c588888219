import { userInfo } from 'node:os';
import { getuid } from 'node:process';

/** The user that this process runs as. In a container a user may have a number and no name.
 *  @param info the system's function; tests give another */
export function userName(info: () => { readonly username: string } = userInfo): string {
  try {
    return info().username;
  } catch {
    return `user ${getuid?.() ?? 'without a name'}`;
  }
}
