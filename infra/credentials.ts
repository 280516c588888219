import { RemovalPolicy, SecretValue, Validations } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { workspacesJson } from './config/environment.ts';
import type { Config } from './config/schema.ts';
import { credentialsName } from './config/workspace.ts';
import type { Binding } from './handler.ts';

/** What the operator overwrites, once per workspace. It never changes here, so no deployment ever overwrites his. */
const PLACEHOLDER = JSON.stringify({ clientId: '', clientSecret: '' });

/** One secret per workspace, empty until the operator fills it: no credential passes through the template. */
export class Credentials extends Construct {
  readonly secrets: readonly Secret[];
  readonly #config: Config;

  constructor(scope: Construct, id: string, config: Config) {
    super(scope, id);
    this.#config = config;
    this.secrets = config.workspaces.map(workspace => {
      const secret = new Secret(this, workspace.name, {
        secretName: credentialsName(workspace),
        description: `Client id and secret of the workspace ${workspace.name}: {"clientId": "...", "clientSecret": "..."}`,
        secretStringValue: SecretValue.unsafePlainText(PLACEHOLDER),
        // Deleting the stack must not delete what only the service's operator can issue again; a rollback may.
        removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      });
      Validations.of(secret).acknowledge({
        id: 'AwsSolutions-SMG4',
        reason:
          'The service has no interface that issues or rotates credentials: its operator does, on request.',
      });
      return secret;
    });
  }

  /** `WORKSPACES` for who polls them; it names each secret, and the grant is for just those. */
  forPolling(): Binding {
    const resourceArns = this.secrets.map(secret => secret.secretArn);
    return {
      value: workspacesJson(this.#config),
      grant: grantee =>
        Grant.addToPrincipal({
          grantee,
          actions: ['secretsmanager:GetSecretValue'],
          resourceArns,
        }),
    };
  }
}
