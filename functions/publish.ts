import { SNSClient } from '@aws-sdk/client-sns';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { bounded, CALL_TIMEOUTS } from './aws/clients.ts';
import { lambdaLog } from './aws/telemetry.ts';
import { SYSTEM } from './basics/system.ts';
import { serialise } from './changes/fit-event.ts';
import { parseEnvironment, publishEnvironment } from './config/environments.ts';
import { createPublish, type Publish } from './handlers/create-publish.ts';

/** Triggered by the table's stream with inserted change records, in order for each process. It has no state.
 *  Each record's events go to the topic as they were committed, byte for byte. After a failure or a
 *  restart a record may come twice: then its events are sent twice, with the same ids and content. An
 *  event that SNS will never accept goes to the queue of rejected events. */
export const handler: Publish = (event, context) => {
  publish ??= configure(process.env);
  return publish(event, context);
};

let publish: Publish | undefined;

function configure(environment: NodeJS.ProcessEnv): Publish {
  const { TOPIC_ARN, REJECTED_QUEUE_URL } = parseEnvironment('publish.ts', publishEnvironment, environment);
  const timeouts = bounded(CALL_TIMEOUTS.publish);
  const sqs = new SQSClient(timeouts);
  return createPublish({
    sns: new SNSClient(timeouts),
    topicArn: TOPIC_ARN,
    sleep: SYSTEM.sleep,
    random: SYSTEM.random,
    reject: async rejected => {
      const MessageBody = serialise(rejected);
      await sqs.send(new SendMessageCommand({ QueueUrl: REJECTED_QUEUE_URL, MessageBody }));
    },
    log: lambdaLog(),
  });
}
