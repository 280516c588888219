/** The constructs for your own CDK app. docs/deploying.md has an example app. */

export { ConfigError } from '../functions/config/read.ts';
export type { EndpointKind, KindSettingName, KindSettings } from '../functions/model/kinds.ts';
export type { OwnMetric } from './alarms/own-metric.ts';
export { Changewire, type FunctionName, type QueueName } from './changewire.ts';
export { SnapshotTable, type SnapshotTableProps } from './parts/table.ts';
export type {
  ChangesProps,
  ChangewireProps,
  IdentifiersProps,
  KeepProps,
  LinkTemplateProps,
  PageSizeProps,
  ProcessProps,
  RuleProps,
  WorkspaceProps,
} from './props/changewire.ts';
export type {
  ConditionsProps,
  DeliveryProps,
  EndpointProps,
  FieldTestsProps,
  FieldValue,
  FieldValues,
  FilterProps,
  NegatedTestsProps,
  SubscriptionFilterProps,
  SubscriptionProps,
  ValueFilterProps,
  ValueTestsProps,
} from './props/endpoint.ts';
