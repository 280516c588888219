/** The name of the stack with the table, which belongs to the stack of this name. */
export function tableStackName(stackName: string): string {
  return `${stackName}-Table`;
}

/** The name of the stack with the native subscriptions. */
export function subscriptionsStackName(stackName: string): string {
  return `${stackName}-Subscriptions`;
}
