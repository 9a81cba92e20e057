/** Builds a request for a transcription as text, for which providers report no duration. */
export function transcriptionAsText(model: string, file: Buffer, isForm: boolean): FormData | object {
  if (!isForm)
    return { model, response_format: 'text', file: { data: file.toString('base64'), filename: 'speech' } };
  const form = new FormData();
  form.set('model', model);
  form.set('response_format', 'text');
  form.set('file', new Blob([new Uint8Array(file)]), 'speech');
  return form;
}
