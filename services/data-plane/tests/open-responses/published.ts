import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { z } from 'zod';

const FOLDER_VARIABLE = 'OPEN_RESPONSES';
const DOCUMENT_ID = 'open-responses';
/** Where the repository openresponses/openresponses has them, or the folder that is named itself. */
const DOCUMENTS = ['openapi.json', 'public/openapi/openapi.json'];
const CASES = ['compliance-tests.ts', 'src/lib/compliance-tests.ts'];

const reference = z.looseObject({ $ref: z.string() });
const document = z.looseObject({
  paths: z.looseObject({
    '/responses': z.looseObject({
      post: z.looseObject({
        responses: z.looseObject({
          '200': z.looseObject({
            content: z.looseObject({
              'application/json': z.looseObject({ schema: reference }),
              'text/event-stream': z.looseObject({ schema: z.looseObject({ oneOf: z.array(reference) }) }),
            }),
          }),
        }),
      }),
    }),
  }),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});
const eventSchema = z.looseObject({
  properties: z.looseObject({ type: z.looseObject({ enum: z.tuple([z.string()]) }) }),
});
const typed = z.looseObject({ type: z.string() });

/** The specification of Open Responses: the schema of responses, and the names of the cases that it tests. */
export class PublishedSpecification {
  readonly caseIds: readonly string[];
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  readonly #response: ValidateFunction;
  readonly #events = new Map<string, ValidateFunction>();

  constructor(openApiText: string, casesText: string) {
    const parsed = document.parse(JSON.parse(openApiText));
    this.#ajv.addSchema(parsed, DOCUMENT_ID);
    const { content } = parsed.paths['/responses'].post.responses['200'];
    this.#response = this.#compile(content['application/json'].schema.$ref);
    for (const { $ref } of content['text/event-stream'].schema.oneOf) {
      const name = $ref.split('/').at(-1) ?? '';
      const { properties } = eventSchema.parse(parsed.components.schemas[name]);
      this.#events.set(properties.type.enum[0], this.#compile($ref));
    }
    this.caseIds = [...casesText.matchAll(/^ {4}id: "([\w-]+)",$/gm)].flatMap(([, id]) => id ?? []);
  }

  /** @returns what is not as the schema of a response object says */
  problemsOfResponse(response: unknown): string[] {
    return this.#problems(this.#response, response);
  }

  /** @returns what is not as the schema of the event's type says; an event of no known type is one problem */
  problemsOfEvent(event: unknown): string[] {
    const { type } = typed.parse(event);
    const validate = this.#events.get(type);
    if (validate === undefined) return [`no event "${type}" is published`];
    return this.#problems(validate, event).map((problem) => `${type}: ${problem}`);
  }

  #compile($ref: string): ValidateFunction {
    return this.#ajv.compile({ $ref: `${DOCUMENT_ID}${$ref}` });
  }

  #problems(validate: ValidateFunction, value: unknown): string[] {
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }
}

/**
 * Reads the folder that OPEN_RESPONSES names: a copy of the repository openresponses/openresponses, or only
 * its `openapi.json` and `compliance-tests.ts`.
 * @returns `missing`: why there is none
 */
export function readPublished(
  environment: NodeJS.ProcessEnv = process.env,
): { published: PublishedSpecification; missing?: undefined } | { published?: undefined; missing: string } {
  const folder = environment[FOLDER_VARIABLE];
  if (folder === undefined || folder === '') return { missing: `${FOLDER_VARIABLE} is not set` };
  const [openApi, cases] = [DOCUMENTS, CASES].map((names) =>
    names.map((name) => join(folder, name)).find((file) => existsSync(file)),
  );
  if (openApi === undefined || cases === undefined)
    return { missing: `${FOLDER_VARIABLE} names a folder without ${DOCUMENTS[0]} or ${CASES[0]}` };
  return {
    published: new PublishedSpecification(readFileSync(openApi, 'utf8'), readFileSync(cases, 'utf8')),
  };
}
