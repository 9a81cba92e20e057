/** Name of the line with `otherMonthUsd`, which makes the sums of models and of keys equal what was spent. */
export const OTHER_MONTH = 'Requests of the end of a month, charged in the next one';
