import { refuse } from '../errors/provider-error.ts';
import type { Content, ContentRequest } from './content-request.ts';
import { isThoughtSignature } from './thought-signature.ts';

/**
 * Checks a conversation as Gemini 3 does. Calls follow the user and are followed by as many results, of the
 * same names in the same order. Signatures are unchanged, and each step of the open turn begins with one.
 * @throws ProviderError 400
 */
export function checkContents({ contents }: ContentRequest): void {
  for (const [index, content] of contents.entries()) {
    const next = contents[index + 1];
    checkSignatures(content, index);
    const calls = callsIn(content);
    if (content.role !== 'model') {
      checkResults(content, contents[index - 1], index);
      continue;
    }
    if (calls.length === 0) continue;
    if (contents[index - 1]?.role === 'model' || index === 0)
      refuse(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      );
    if (next === undefined || resultsIn(next).length !== calls.length)
      refuse(
        'Please ensure that the number of function response parts is equal to the number of function call ' +
          'parts of the function call turn.',
      );
  }
  checkOpenTurn(contents);
}

function checkResults(content: Content, before: Content | undefined, index: number): void {
  const results = resultsIn(content);
  if (results.length === 0) return;
  const called = before === undefined ? [] : callsIn(before).map(({ name }) => name);
  if (called.length === 0 || results.some(({ name }, place) => name !== called[place]))
    refuse(
      `Please ensure that function response turn comes immediately after a function call turn (contents[${index}]).`,
    );
}

function checkSignatures({ parts }: Content, index: number): void {
  for (const [place, { thoughtSignature }] of parts.entries()) {
    if (thoughtSignature === undefined || isThoughtSignature(thoughtSignature)) continue;
    refuse(`Thought signature is not valid. (contents[${index}].parts[${place}])`);
  }
}

/** Checks the current turn, which began with the last text of the user. */
function checkOpenTurn(contents: readonly Content[]): void {
  const begin = contents.findLastIndex(({ parts, role }) => {
    return role !== 'model' && parts.some(({ functionResponse }) => functionResponse === undefined);
  });
  for (const [index, content] of contents.entries()) {
    const isOpen = index > begin && content.role === 'model';
    const first = isOpen ? content.parts.find(({ functionCall }) => functionCall !== undefined) : undefined;
    if (first === undefined || first.thoughtSignature !== undefined) continue;
    refuse(
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work ' +
        `correctly. Additional data, function call \`default_api:${first.functionCall?.name}\`, position ${index + 1}.`,
    );
  }
}

function callsIn({ parts }: Content) {
  return parts.flatMap(({ functionCall }) => functionCall ?? []);
}

function resultsIn({ parts }: Content) {
  return parts.flatMap(({ functionResponse }) => functionResponse ?? []);
}
