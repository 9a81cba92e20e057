import { MAX_COUNT } from '../scim/page.ts';
import { SCHEMA } from '../scim/schema-names.ts';
import { SCIM_PATH } from '../scim/scim-resources.ts';

interface Attribute {
  name: string;
  type?: 'string' | 'boolean' | 'complex';
  multiValued?: true;
  required?: true;
  caseExact?: true;
  mutability?: 'readWrite' | 'readOnly' | 'immutable';
  uniqueness?: 'none' | 'server';
  subAttributes?: readonly Attribute[];
}

const USER: readonly Attribute[] = [
  { name: 'userName', required: true, uniqueness: 'server' },
  {
    name: 'name',
    type: 'complex',
    subAttributes: [{ name: 'formatted' }, { name: 'familyName' }, { name: 'givenName' }],
  },
  { name: 'displayName' },
  { name: 'active', type: 'boolean' },
  {
    name: 'emails',
    type: 'complex',
    multiValued: true,
    subAttributes: [
      { name: 'value' },
      { name: 'display' },
      { name: 'type' },
      { name: 'primary', type: 'boolean' },
    ],
  },
  {
    name: 'groups',
    type: 'complex',
    multiValued: true,
    mutability: 'readOnly',
    subAttributes: [
      { name: 'value', mutability: 'readOnly' },
      { name: 'display', mutability: 'readOnly' },
    ],
  },
];

const GROUP: readonly Attribute[] = [
  { name: 'displayName', required: true, uniqueness: 'server' },
  {
    name: 'members',
    type: 'complex',
    multiValued: true,
    subAttributes: [
      { name: 'value', mutability: 'immutable', caseExact: true },
      { name: 'display', mutability: 'readOnly' },
      { name: 'type', mutability: 'immutable' },
    ],
  },
];

/** Schemas of the attributes that the gateway keeps; it accepts and drops all others. */
export const SCHEMAS = [schema(SCHEMA.user, 'User', USER), schema(SCHEMA.group, 'Group', GROUP)] as const;

export const RESOURCE_TYPES = [
  resourceType('User', SCHEMA.user),
  resourceType('Group', SCHEMA.group),
] as const;

export const SERVICE_PROVIDER_CONFIG = {
  schemas: [SCHEMA.serviceProviderConfig],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_COUNT },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'Authorization: Bearer gw_scim_…, of gatewayctl scim-tokens create',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${SCIM_PATH}/ServiceProviderConfig` },
} as const;

function schema(id: string, name: string, attributes: readonly Attribute[]) {
  return {
    schemas: [SCHEMA.schema],
    id,
    name,
    description: name,
    attributes: attributes.map(described),
    meta: { resourceType: 'Schema', location: `${SCIM_PATH}/Schemas/${id}` },
  };
}

function described({ subAttributes, ...attribute }: Attribute): object {
  return {
    type: 'string',
    multiValued: false,
    description: attribute.name,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...attribute,
    ...(subAttributes === undefined ? {} : { subAttributes: subAttributes.map(described) }),
  };
}

function resourceType(name: 'User' | 'Group', id: string) {
  return {
    schemas: [SCHEMA.resourceType],
    id: name,
    name,
    description: name,
    endpoint: `/${name}s`,
    schema: id,
    meta: { resourceType: 'ResourceType', location: `${SCIM_PATH}/ResourceTypes/${name}` },
  };
}
