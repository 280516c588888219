import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Built, builtPage, type PageFile, readPage } from './built-page.ts';

/** The page that the local server shows. */
export interface Page {
  /** The file of this path, as a browser asks for it; undefined: there is none. The first call may take
   *  seconds: the page is built when somebody wants to see it. @throws PageError when it can't be built */
  file(path: string): Promise<PageFile | undefined>;
}

export const ROOT = resolve(import.meta.dirname, '../..');

/** In the package the page is built (package/build.ts), and stands where a checkout has its sources. */
const isBuilt = (root: string) => existsSync(resolve(root, 'console/assets'));

/** The console. In a checkout it is built once per state of the sources. It is kept in memory: it is small. */
export function createPage(build: () => Promise<Built> = () => pageOf(ROOT)): Page {
  let building: Promise<Built> | undefined;
  return {
    file: async path => {
      building ??= build();
      const attempt = building;
      const built = await attempt.catch(error => {
        // After a failure the next request tries again.
        if (building === attempt) building = undefined;
        throw error;
      });
      return built.get(path);
    },
  };
}

/** The page of a checkout or of the package at `root`. */
export function pageOf(root: string): Promise<Built> {
  return isBuilt(root) ? readPage(resolve(root, 'console')) : builtPage(root);
}

/** Why there can be no page, in words for people; undefined: it can be built, as far as can be seen without trying. */
export function whyNoPage(root = ROOT): string | undefined {
  const isThere = (path: string) => existsSync(resolve(root, path));
  if (!isThere('console/index.html')) return 'its sources (console/) are not installed';
  if (isBuilt(root)) return undefined;
  if (!isThere('node_modules/vite') && !isThere('node_modules/.cache/changewire/console'))
    return 'it is built with development tools, which npm ci brings without --omit=dev';
  return undefined;
}
