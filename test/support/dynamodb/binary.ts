import { createRequire } from 'node:module';
import { arch, platform } from 'node:process';

/**
 * The path of the embedded DynamoDB's program, from the optional package for this platform.
 * @throws Error that says what to set when there is no such package.
 */
export function findBinary(name = `@dynoxide/${platform}-${arch}`): string {
  try {
    return createRequire(import.meta.url).resolve(`${name}/dynoxide`);
  } catch {
    throw new Error(
      `The embedded DynamoDB (package ${name}) is not installed. Set DYNAMODB_ENDPOINT to a running DynamoDB,` +
        ' such as DynamoDB Local (http://127.0.0.1:8000), or install that package if it exists for your machine.',
    );
  }
}
