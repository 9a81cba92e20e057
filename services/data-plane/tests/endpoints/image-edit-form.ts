/** The first bytes of a PNG. Nobody here decodes it. */
export const PNG = Buffer.from('\x89PNG\r\n\x1a\n not more than this', 'latin1');

export type PictureFile = readonly [field: string, filename: string, content?: Buffer];

/** Builds the form of POST /v1/images/edits. Values that are no text are written as JSON. */
export function imageEditForm(
  fields: Record<string, unknown>,
  files: readonly PictureFile[] = [['image', 'a.png']],
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  for (const [field, filename, content = PNG] of files)
    form.append(field, new Blob([new Uint8Array(content)], { type: 'image/png' }), filename);
  return form;
}
