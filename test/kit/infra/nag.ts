import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';

/** What cdk-nag finds: rule and path, for each. */
export const findings = (scope: IConstruct): string[] =>
  new AwsSolutionsChecks(scope)
    .validateScope(scope)
    .violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${ruleName} ${constructPath}`),
    );
