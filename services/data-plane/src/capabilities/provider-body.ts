import { editJson, type JsonEdits } from '../json/edit-json.ts';
import type { JsonBody } from '../steps/read-json-body.ts';
import type { ProviderBody } from '../upstream/capability-call.ts';

/** The request's JSON with its changes, and without `notre`; all else as it was sent, to the byte. */
export function jsonProviderBody(body: JsonBody<unknown>, edits: JsonEdits): ProviderBody {
  return {
    contentType: 'application/json',
    content: editJson(body.bytes, body.members, { notre: undefined, ...edits }),
  };
}
