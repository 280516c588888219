import type { EndpointSettings } from '../../functions/endpoints/endpoint.ts';
import { type EndpointConfig, endpointSecretName } from './endpoint.ts';
import type { Config } from './schema.ts';

/** What only the deployed queues of an endpoint know. */
export type QueueAddresses = Pick<EndpointSettings, 'queueArn' | 'queueUrl' | 'deadLetterUrl'>;

/** One entry of `ENDPOINTS` of the deliver function. */
export function endpointSettings(endpoint: EndpointConfig, addresses: QueueAddresses): EndpointSettings {
  const { name, kind, filter: { fields, values } = {} } = endpoint;
  const filter = { ...(fields && { fields }), ...(values && { values }) };
  const isFiltered = Object.keys(filter).length > 0;
  return { name, kind, secret: endpointSecretName(endpoint), ...(isFiltered && { filter }), ...addresses };
}

/** `ENDPOINTS` as long as it gets in any region: the true addresses exist only after the deployment. */
export function longestEndpointsJson({ stackName, endpoints }: Config): string {
  return JSON.stringify(
    endpoints.map(endpoint => {
      const queue = longestQueueName(stackName, endpoint, 'Queue');
      const deadLetters = longestQueueName(stackName, endpoint, 'DeadLetters');
      return endpointSettings(endpoint, {
        queueArn: `arn:aws-us-gov:sqs:ap-southeast-1:123456789012:${queue}`,
        queueUrl: `https://sqs.ap-southeast-1.amazonaws.com.cn/123456789012/${queue}`,
        deadLetterUrl: `https://sqs.ap-southeast-1.amazonaws.com.cn/123456789012/${deadLetters}`,
      });
    }),
  );
}

/** CloudFormation's own naming: the stack, the logical id (with CDK's hash of 8) and 13 random characters, 80 at most. */
function longestQueueName(stackName: string, { name }: EndpointConfig, queue: string): string {
  return `${stackName}-Endpoint${name}${queue}${'x'.repeat(8)}-${'x'.repeat(13)}`.slice(0, 80);
}
