import type { ListedGroup } from './groups/group-list-store.ts';
import { SCHEMA } from './schema-names.ts';
import type { ListedUser } from './users/user-list-store.ts';

export const SCIM_PATH = '/scim/v2';

interface Versioned {
  id: string;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Returns a user as SCIM shows it. */
export function userResource(user: ListedUser) {
  return {
    schemas: [SCHEMA.user],
    id: user.id,
    externalId: user.externalId,
    userName: user.userName,
    name: user.name,
    displayName: user.displayName,
    emails: user.emails,
    active: user.active,
    groups: user.groups.map(({ display, value }) => ({
      value,
      $ref: `${SCIM_PATH}/Groups/${value}`,
      display,
    })),
    meta: metaOf('User', user),
  };
}

/** Returns a group as SCIM shows it. */
export function groupResource(group: ListedGroup) {
  return {
    schemas: [SCHEMA.group],
    id: group.id,
    externalId: group.externalId ?? undefined,
    displayName: group.displayName,
    members: group.members?.map(({ display, value }) => ({ value, display, type: 'User' })),
    meta: metaOf('Group', group),
  };
}

export function etagOf({ version }: Pick<Versioned, 'version'>): string {
  return `W/"${version}"`;
}

function metaOf(resourceType: 'User' | 'Group', resource: Versioned) {
  return {
    resourceType,
    created: resource.createdAt.toISOString(),
    lastModified: resource.updatedAt.toISOString(),
    location: `${SCIM_PATH}/${resourceType}s/${resource.id}`,
    version: etagOf(resource),
  };
}

/** Attributes of a response that a request selects (RFC 7644, section 3.9), in lower case. */
export interface Projection {
  only: ReadonlySet<string> | undefined;
  without: ReadonlySet<string>;
}

const ALWAYS = new Set(['schemas', 'id', 'meta']);

/** Reads `attributes` and `excludedAttributes`. Parts of an attribute select all of it. */
export function projectionOf(query: { attributes?: unknown; excludedAttributes?: unknown }): Projection {
  const names = (value: unknown) =>
    typeof value === 'string'
      ? new Set(value.split(',').map((name) => topLevel(name.trim().toLowerCase())))
      : undefined;
  return { only: names(query.attributes), without: names(query.excludedAttributes) ?? new Set() };
}

export function project(resource: object, { only, without }: Projection): object {
  const isShown = (name: string) =>
    ALWAYS.has(name) || (!without.has(name.toLowerCase()) && (only?.has(name.toLowerCase()) ?? true));
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isShown(name)));
}

/** Returns true if the response shows an attribute. @param name in lower case */
export function shows({ only, without }: Projection, name: string): boolean {
  return !without.has(name) && (only?.has(name) ?? true);
}

function topLevel(name: string): string {
  const attribute = name.replace(/^urn:.*:/, '');
  return attribute.split(/[.[]/, 1)[0] ?? attribute;
}
