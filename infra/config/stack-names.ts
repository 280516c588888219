/** The stack of the table, beside the one of this name. */
export function tableStackName(stackName: string): string {
  return `${stackName}-Table`;
}

/** The stack of the native subscriptions. */
export function subscriptionsStackName(stackName: string): string {
  return `${stackName}-Subscriptions`;
}
