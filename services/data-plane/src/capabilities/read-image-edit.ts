import type { ImageEdit } from '@model-gateway/dialects';
import {
  EDITED_IMAGE_FIELDS,
  GUIDE_IMAGE_FIELDS,
  IMAGE_EDIT_MEMBERS,
  imageEditRequest,
  MAX_EDITED_IMAGES,
} from '@model-gateway/shared';
import { invalidField } from '@model-gateway/shared/errors';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { ReadBodyContext } from '../http/read-json-body.ts';
import { readWholeForm } from '../http/read-whole-form.ts';
import { parseFields, singleFields } from './form-fields.ts';

const IMAGE = 'image';
const FILE_FIELDS = [...EDITED_IMAGE_FIELDS, ...GUIDE_IMAGE_FIELDS];

/**
 * Reads the form of an edit, whole: it must be repeatable.
 * @param checkLarge see `readBody`
 * @throws GatewayError 415, 413, 408, 400 or 503; what `checkLarge` throws; ClientGone
 */
export async function readImageEdit(
  context: Omit<ReadBodyContext, 'jsonQueue' | 'maxJsonBodyBytes'> & { maxFormBytes: number },
  exchange: AuthenticatedExchange,
  checkLarge: (arrived: readonly Buffer[]) => void,
): Promise<ImageEdit> {
  const { fields, files } = await readWholeForm(exchange, {
    maxBytes: context.maxFormBytes,
    // One more than there may be, so that it is refused by name.
    maxFiles: MAX_EDITED_IMAGES + GUIDE_IMAGE_FIELDS.length + 1,
    budget: context.bodyBudget,
    minimumRate: context.minimumRate,
    checkLarge,
    checkField,
    checkFile,
  });
  if (!files.some(({ field }) => EDITED_IMAGE_FIELDS.includes(field)))
    throw invalidField(IMAGE, 'is required');
  const value = parseFields(imageEditRequest, singleFields(fields, IMAGE_EDIT_MEMBERS));
  return { value, fields, files };
}

function checkField(name: string): void {
  if (FILE_FIELDS.includes(name)) throw invalidField(name, 'must be a file');
}

function checkFile(name: string, before: readonly string[]): void {
  if (GUIDE_IMAGE_FIELDS.includes(name)) {
    if (before.includes(name)) throw invalidField(name, 'is there twice');
  } else if (!EDITED_IMAGE_FIELDS.includes(name))
    throw invalidField(name, `is not a file field; send images in "${IMAGE}" or "${IMAGE}[]"`);
  else if (before.filter((other) => EDITED_IMAGE_FIELDS.includes(other)).length === MAX_EDITED_IMAGES)
    throw invalidField(name, `is one image too many; send at most ${MAX_EDITED_IMAGES}`);
}
