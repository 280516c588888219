/** Changewire for a CDK app of one's own: what `changewire/cdk` gives. */

export { ConfigError } from '../functions/config/read.ts';
export type { EndpointKind, KindSettingName, KindSettings } from '../functions/model/kinds.ts';
export type { OwnMetric } from './alarms/own-metric.ts';
export { Changewire, type FunctionName, type QueueName } from './changewire.ts';
export { SnapshotTable, type SnapshotTableProps } from './parts/table.ts';
export type { ChangesProps } from './props/changes.ts';
export type { ChangewireProps } from './props/changewire.ts';
export type { EndpointProps, FieldValue, FilterProps, ValueFilterProps } from './props/endpoint.ts';
export type { ProcessProps } from './props/process.ts';
export type { DeliveryProps, SubscriptionFilterProps, SubscriptionProps } from './props/subscription.ts';
export type {
  IdentifiersProps,
  LinkTemplateProps,
  PageSizeProps,
  WorkspaceProps,
} from './props/workspace.ts';
