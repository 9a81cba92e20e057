import type { CatalogText } from './catalog-text.ts';

/** The catalog that a form changes. */
export interface Editing {
  catalog: CatalogText;
  isReadOnly: boolean;
  /** @param edit returns the text after the change */
  change: (edit: (text: string) => string) => void;
}
