import { createRequire } from 'node:module';
import { arch, platform } from 'node:process';

/**
 * The path of the embedded DynamoDB's program, from the optional package for this platform.
 * @throws when there is no such package.
 */
export function findBinary(name = `@dynoxide/${platform}-${arch}`): string {
  try {
    return createRequire(import.meta.url).resolve(`${name}/dynoxide`);
  } catch {
    throw new Error(
      `The embedded DynamoDB (package ${name}) is not installed: it does not exist for every platform.`,
    );
  }
}

/** Whether there is an embedded DynamoDB for this platform. Where there is none, its tests run over the model. */
export function hasEmbedded(): boolean {
  try {
    return findBinary() !== '';
  } catch {
    return false;
  }
}
