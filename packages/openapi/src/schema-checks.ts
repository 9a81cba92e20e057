import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { oas32 } from 'zod-openapi';

const DOCUMENT_ID = 'openapi';

/** Validates values against the schemas of a document. Each schema is compiled when it is first needed. */
export class SchemaChecks {
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  readonly #compiled = new Map<string, ValidateFunction>();
  readonly #document: oas32.OpenAPIObject;

  constructor(document: oas32.OpenAPIObject) {
    this.#document = document;
    this.#ajv.addSchema(document, DOCUMENT_ID);
  }

  /** @param pointer steps to the schema. @returns what is wrong, or undefined */
  check(pointer: readonly string[], value: unknown): string | undefined {
    const reference = `${DOCUMENT_ID}#${pointer.map((step) => `/${escapeStep(step)}`).join('')}`;
    let validate = this.#compiled.get(reference);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: reference });
      this.#compiled.set(reference, validate);
    }
    if (validate(value)) return undefined;
    return this.#ajv.errorsText(validate.errors, { dataVar: 'body' });
  }

  /** @param component name of a header in the document. @returns what is wrong, or undefined */
  checkHeader(component: string, value: string | null): string | undefined {
    if (value !== null) {
      const problem = this.check(['components', 'headers', component, 'schema'], value);
      return problem && `is ${JSON.stringify(value)}: ${problem}`;
    }
    const header = this.#document.components?.headers?.[component];
    return header !== undefined && 'required' in header && header.required === true
      ? 'is missing'
      : undefined;
  }
}

/** Escapes a step of a JSON pointer in a URI fragment. */
function escapeStep(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}
