import type { oas32 } from 'zod-openapi';

type Security = oas32.SecurityRequirementObject[];

export const SECURITY_SCHEMES: Record<string, oas32.SecuritySchemeObject> = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'gw_live_…',
    description: 'An API key of an account or of a team seat. It is shown once, when it is created.',
  },
  anthropicApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description:
      "The same key, in the header that Anthropic's clients send. Other routes ignore this header.",
  },
};

export const KEY_REQUIRED: Security = [{ apiKey: [] }];
/** A key in one of two headers; in both of them it must be the same one. */
export const KEY_REQUIRED_BY_MESSAGES: Security = [{ apiKey: [] }, { anthropicApiKey: [] }];
/** A request needs no key, but a key that is sent must be valid. */
export const KEY_OPTIONAL: Security = [{}, { apiKey: [] }];
/** An Authorization header is ignored. */
export const PUBLIC: Security = [];
