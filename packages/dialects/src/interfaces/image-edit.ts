import type { ImagesRequest } from '@model-gateway/shared';
import type { FormField } from './incoming-form.ts';

/** A file of a form that has arrived whole. */
export interface WholeFile {
  /** The name of its field. */
  field: string;
  filename: string;
  mimeType: string;
  /** Parts of the form's bytes, not copied. */
  chunks: readonly Buffer[];
}

/** A form that has arrived whole. */
export interface WholeForm {
  /** In order. */
  fields: readonly FormField[];
  /** In order. */
  files: readonly WholeFile[];
}

/** A request of POST /v1/images/edits. */
export interface ImageEdit extends WholeForm {
  value: ImagesRequest;
}
