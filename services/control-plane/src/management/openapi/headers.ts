import type { oas32 } from 'zod-openapi';
import type { Method, Route } from '../route.ts';

const text = { type: 'string' as const };

/** Headers of responses to requests with a valid key. */
export const SUCCESS_HEADERS: Record<string, oas32.HeaderObject> = {
  'x-request-id': {
    required: true,
    schema: text,
    description: 'Id of this request, as in logs and audit events.',
  },
  etag: { schema: text, description: 'Version of the object, for If-Match.' },
  'idempotency-replayed': {
    schema: { type: 'string', enum: ['true'] },
    description: 'Sent with the response to an earlier request with the same Idempotency-Key.',
  },
  'x-gateway-unconfirmed': {
    schema: text,
    description: 'Ids of data planes that did not confirm the change in time. They learn of it later.',
  },
  'x-ratelimit-limit-requests': { schema: text },
  'x-ratelimit-remaining-requests': { schema: text },
  'x-ratelimit-reset-requests': { schema: text },
};

/** Request headers with conditions, by method. */
const CONDITION_PARAMETERS: readonly {
  methods: readonly Method[];
  parameter: oas32.ParameterObject;
}[] = [
  {
    methods: ['POST'],
    parameter: {
      name: 'Idempotency-Key',
      in: 'header',
      description: 'A text of your choice, unique for each request.',
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    },
  },
  {
    methods: ['PATCH'],
    parameter: {
      name: 'If-Match',
      in: 'header',
      required: true,
      description: 'ETag of the object, or `*`.',
      schema: text,
    },
  },
  {
    methods: ['PUT', 'DELETE'],
    parameter: { name: 'If-Match', in: 'header', description: 'ETag of the object.', schema: text },
  },
];

/** Returns the request headers with conditions that a route takes. */
export function conditionParameters({ ifMatch, method }: Route): oas32.ParameterObject[] {
  // Takes the parameters of PATCH, which needs If-Match.
  const methods = ifMatch === 'needed' ? [method, 'PATCH'] : [method];
  return CONDITION_PARAMETERS.filter((each) => each.methods.some((one) => methods.includes(one)))
    .map(({ parameter }) => parameter)
    .filter(({ name }) => ifMatch !== 'none' || name !== 'If-Match');
}
