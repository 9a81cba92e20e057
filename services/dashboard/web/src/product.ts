/** Returns the name of the product, which the server writes into the page. */
export function productName(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="application-name"]')?.content ?? 'Model Gateway';
}

/** Returns the URL of the product's logo, which is also its icon. */
export function productLogoUrl(): string {
  return document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.href ?? '/logo.svg';
}
