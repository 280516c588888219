import { App, Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Changewire } from 'changewire/cdk';

const app = new App();
const stack = new Stack(app, 'Integrations', { env: { region: 'eu-central-1' } });
new Changewire(stack, 'Changewire', {
  workspaces: [
    {
      name: 'main',
      baseUrl: 'https://api.eu.example.com',
      authUrl: 'https://auth.eu.example.com',
      audience: 'https://api.example.com',
      processes: [{ id: 'onboarding' }, { id: 'launch', sweep: '1h' }],
    },
  ],
  endpoints: [
    { name: 'planner', kind: 'webhook', filter: { events: ['task.updated'], fields: ['dueDate'] } },
  ],
  alarmTopic: Topic.fromTopicArn(stack, 'OnCall', 'arn:aws:sns:eu-central-1:111122223333:on-call'),
});
app.synth();
