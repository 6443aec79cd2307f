/** English words that say nothing about a subject. Other languages lose little: their common words only count more. */
export const stopWords: ReadonlySet<string> = new Set(
  (
    'a about after all also am an and any are as at be been before but by can could did do does for from get give had ' +
    'has have he her him his how i if in into is it its just me more most my no not of on or our out please shall she ' +
    'should so some such than that the their them then there these they this those to up us was we were what when ' +
    'where which who whom whose why will with would you your'
  ).split(' '),
);
