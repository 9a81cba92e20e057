/** Adds up a metric's samples in Prometheus' text format. @param label only samples with this label */
export function sumOfMetric(text: string, name: string, label = ''): number {
  let sum = 0;
  for (const line of text.split('\n')) {
    const [, labels = '', value] = /^([^#\s{]+(?:\{.*\})?) (\S+)$/.exec(line) ?? [];
    if (value === undefined || (labels !== name && !labels.startsWith(`${name}{`))) continue;
    if (labels.includes(label)) sum += Number(value);
  }
  return sum;
}

export async function readMetrics(internalPort: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${internalPort}/metrics`);
  return await response.text();
}
