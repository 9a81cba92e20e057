import { ABSENT_ANTHROPIC_ENDPOINTS, ABSENT_ENDPOINTS, type AbsentEndpoint } from '@model-gateway/shared';
import { createDocument, type oas32 } from 'zod-openapi';
import { COMPONENT_SCHEMAS } from './component-schemas.ts';
import { errorExamples } from './error-responses.ts';
import { mediaRequestPaths } from './paths/media-requests.ts';
import { messagesPaths } from './paths/messages.ts';
import { modelRequestPaths } from './paths/model-requests.ts';
import { publicReadPaths } from './paths/public-reads.ts';
import { responsesPaths } from './paths/responses.ts';
import { usagePaths } from './paths/usage.ts';
import { schemaOverride } from './schema-overrides.ts';
import { SECURITY_SCHEMES } from './security.ts';

const DESCRIPTION = `One endpoint in front of every model provider. Use an unmodified OpenAI SDK: set its base URL to \`/v1\`
of this server, and its API key to a key of the gateway. Or use an Anthropic SDK with the address of this server, without
\`/v1\`. Both SDKs can use every chat model.

Every response has \`x-request-id\`. All errors have the same JSON envelope; on the Messages routes it has Anthropic's
form. \`error.code\` is stable; \`error.message\` says what to do next.

## Missing endpoints

The gateway does not have these endpoints of OpenAI's API. They respond with 404 and an explanation. You also cannot
list or read chat completions that a provider stores (\`GET /v1/chat/completions\`), or delete models
(\`DELETE /v1/models/{id}\`): these requests get 404 or 405. You can read stored responses.

| path | purpose | instead |
| --- | --- | --- |
${ABSENT_ENDPOINTS.map(absentRow).join('\n')}

The gateway does not have these endpoints of Anthropic's API:

| path | purpose | instead |
| --- | --- | --- |
${ABSENT_ANTHROPIC_ENDPOINTS.map(absentRow).join('\n')}`;

function absentRow({ path, what, instead = '–' }: AbsentEndpoint): string {
  return `| \`${path}\` | ${what} | ${instead} |`;
}

export interface DocumentOptions {
  version?: string;
  /** Forbids undocumented fields in the gateway's own responses: for checks, not for clients. */
  closed?: boolean;
}

/** Returns the OpenAPI 3.1 document of the public HTTP API, from the schemas that the services use. */
export function openApiDocument({
  version = '0.1.0',
  closed = false,
}: DocumentOptions = {}): oas32.OpenAPIObject {
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Model Gateway',
        version,
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This gateway' }],
      tags: [
        { name: 'Models', description: 'Send requests to models. A key is required.' },
        { name: 'Catalog', description: 'List the models. A key is optional.' },
        { name: 'Usage', description: 'Read usage, pools and limits of a key. A key is required.' },
        { name: 'Status', description: 'Read the health of the gateway and its models. Public.' },
      ],
      paths: {
        ...modelRequestPaths,
        ...messagesPaths,
        ...responsesPaths,
        ...mediaRequestPaths,
        ...publicReadPaths,
        ...usagePaths,
      },
      components: {
        schemas: COMPONENT_SCHEMAS,
        examples: errorExamples(),
        securitySchemes: SECURITY_SCHEMES,
      },
    },
    { override: schemaOverride(closed), allowEmptySchema: { custom: true } },
  );
}
