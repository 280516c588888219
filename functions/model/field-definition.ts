/** A custom field's definition, as far as its undocumented structure shows it (service-api.md §2.4, §4 #6 and #7). */
export interface FieldDefinition {
  readonly externalId: string;
  readonly name: string;
  /** `text`, `number`, `date`, `single-choice`, `multiple-choice`; anything else stands as the service wrote it. */
  readonly type: string;
  readonly options?: readonly string[];
  readonly archived?: boolean;
}
