import { ABSENT_ANTHROPIC_ENDPOINTS, ABSENT_ENDPOINTS, type AbsentEndpoint } from '@model-gateway/shared';
import { createDocument, type oas32 } from 'zod-openapi';
import { COMPONENT_SCHEMAS } from './component-schemas.ts';
import { errorExamples } from './error-answers.ts';
import { mediaRequestPaths } from './paths/media-requests.ts';
import { messagesPaths } from './paths/messages.ts';
import { modelRequestPaths } from './paths/model-requests.ts';
import { publicReadPaths } from './paths/public-reads.ts';
import { responsesPaths } from './paths/responses.ts';
import { usagePaths } from './paths/usage.ts';
import { schemaOverride } from './schema-overrides.ts';
import { SECURITY_SCHEMES } from './security.ts';

const DESCRIPTION = `One endpoint in front of every model provider. An unmodified SDK of OpenAI works: point its base URL at
\`/v1\` of this server and use a key of the gateway. So does one of Anthropic, with the address of this server alone.
Either can ask every model that chats.

Every answer carries \`x-request-id\`. Every answer that is not 2xx has the same JSON envelope, on the routes of Messages
in Anthropic's form. Its \`error.code\` is stable; \`error.message\` says what to do next.

## What of OpenAI's API is not there

These answer 404, and say so. Nor is there a way to what is stored at a provider (\`GET /v1/chat/completions\` and its
completions by id; responses can be read), and models cannot be deleted by \`DELETE /v1/models/{id}\`: both answer 404 or 405.

| path | what it is for | instead |
| --- | --- | --- |
${ABSENT_ENDPOINTS.map(absentRow).join('\n')}

Nor are these of Anthropic's API:

| path | what it is for | instead |
| --- | --- | --- |
${ABSENT_ANTHROPIC_ENDPOINTS.map(absentRow).join('\n')}`;

function absentRow({ path, what, instead = '–' }: AbsentEndpoint): string {
  return `| \`${path}\` | ${what} | ${instead} |`;
}

export interface DocumentOptions {
  version?: string;
  /** Forbids fields that no schema names in answers of the gateway's own: for checks, not for clients. */
  closed?: boolean;
}

/** The OpenAPI 3.1 document of the public HTTP interface, made from the schemas that the services use. */
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
        { name: 'Models', description: 'Requests to models. They need a key.' },
        { name: 'Catalog', description: 'Which models there are. A key is optional.' },
        { name: 'Usage', description: 'What a key has used, and what it may still use.' },
        { name: 'Status', description: 'Whether all is well. Public.' },
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
