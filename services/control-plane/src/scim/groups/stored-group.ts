/** A group of an identity provider. */
export interface StoredGroup {
  id: string;
  displayName: string;
  externalId: string | null;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Group as audit events show it. */
export function groupAuditResource(group: StoredGroup, userIds: readonly string[]) {
  return {
    object: 'scim_group',
    id: group.id,
    display_name: group.displayName,
    external_id: group.externalId,
    user_ids: userIds,
  };
}
