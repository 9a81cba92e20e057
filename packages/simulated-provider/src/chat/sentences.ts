/** The sentences of answers. `{topic}` is the topic of the question, `{word}` one of its words. */
export interface Material {
  openings: readonly string[];
  middles: readonly string[];
  closings: readonly string[];
}

export type Intent = 'why' | 'how' | 'compare' | 'code' | 'write' | 'choose' | 'explain';

export const GREETINGS: readonly string[] = [
  'Hello! I can answer questions, draft text or talk through an idea. What would you like to start with?',
  'Hi there, good to hear from you. Tell me what you are working on and I will do my best to help.',
  'Hello! Ask me anything, from a quick fact to a longer piece of writing, and we can refine it together.',
];

export const MATERIAL: Record<Intent, Material> = {
  why: {
    openings: [
      'On “{question}”, the short answer is that several ordinary effects add up.',
      'The usual answer to “{question}” names one main cause and a few smaller ones.',
      '“{question}” has a clear answer, even if it is not the first one that comes to mind.',
    ],
    middles: [
      'The strongest influence is the one that is easiest to overlook, because it acts all the time.',
      'With {word} in particular, scale matters: what is negligible up close becomes visible over a ' +
        'distance.',
      'Each step follows from the one before it, so a small difference at the start grows along the way.',
      'You can test this yourself by changing one condition at a time and watching what stays the same.',
    ],
    closings: [
      'If one of these conditions changed, the result would look quite different.',
      'That is also why the exceptions are rare, and why they stand out when they occur.',
    ],
  },
  how: {
    openings: [
      'Here is a reliable way to approach {topic}.',
      'The easiest path to {topic} starts with a little preparation.',
      'For {topic}, it helps to split the work into a few small steps.',
    ],
    middles: [
      'First, gather what you need and check that it is complete, since interruptions cost the most time.',
      'Then start with the simplest version that could work, and only add to it once that one holds up.',
      'Pay special attention to {word}, because mistakes there are hard to correct later.',
      'Between the steps, take a moment to compare the result with what you expected.',
    ],
    closings: [
      'When you repeat it, you will find that the second attempt takes half as long.',
      'If something goes wrong, go back one step rather than starting over.',
    ],
  },
  compare: {
    openings: [
      'With {topic}, each side has its place, and the better choice depends on what you need most.',
      'When you compare {topic}, the main difference lies less in quality than in purpose.',
    ],
    middles: [
      'One is quicker to begin with, while the other pays off over a longer time.',
      'If {word} is what matters to you, the more flexible option is usually worth its price.',
      'In everyday use most people notice the difference only at the extremes.',
      'Costs tend to be similar once you count the time spent on upkeep.',
    ],
    closings: [
      'When in doubt, begin with the simpler one: moving on later is easier than stepping back.',
      'A short trial with your own data will tell you more than any general advice.',
    ],
  },
  code: {
    openings: [
      'For {topic}, I would start from the smallest program that shows the behaviour you want.',
      'A clean way to handle {topic} is to keep the logic in one pure function and the input and output ' +
        'around it.',
    ],
    middles: [
      'Write down the expected result for two or three inputs first, including an empty one.',
      'Handle the case where {word} is missing explicitly instead of relying on a default.',
      'Prefer a standard library routine here, because it already treats the awkward edge cases.',
      'Give the intermediate values names, so that the next reader can follow along without a debugger.',
    ],
    closings: [
      'Once the tests pass, measure before you optimise: the slow part is rarely where one expects it.',
      'If you paste the relevant lines, I can point to the exact place that needs to change.',
    ],
  },
  write: {
    openings: [
      'Here is a first version on {topic} that you can adapt.',
      'This draft about {topic} keeps a friendly tone and comes to the point early.',
    ],
    middles: [
      'We set out with a simple aim, and we have kept to it in every decision since.',
      'What began with {word} has grown into something that many people rely on.',
      'There is still much to do, yet the direction is clear and the first results are encouraging.',
      'Every detail serves the whole, and nothing is there merely for show.',
    ],
    closings: [
      'Tell me if you would like it shorter, warmer or more formal.',
      'I can adjust the length or the tone if you tell me who will read it.',
    ],
  },
  choose: {
    openings: [
      'On “{question}”, I would weigh three things: what it costs, how long it lasts and how easily you ' +
        'can change your mind.',
      'For a question like “{question}”, the sensible choice is usually the one with the fewest surprises.',
    ],
    middles: [
      'Begin with the option that most people in your situation are happy with, and note what it lacks.',
      'If {word} matters more to you than convenience, it is worth looking a little further.',
      'Beware of comparing long lists of features, since you will use only a few of them.',
      'Ask someone who has used it for a year rather than for a week.',
    ],
    closings: [
      'If two options remain, take the one that is easier to leave again.',
      'With a little more about your budget and your plans I can be more specific.',
    ],
  },
  explain: {
    openings: [
      'Put simply, {topic} is easiest to understand through what it does in practice.',
      'A good way to think about {topic} is to separate the idea itself from how it is carried out.',
      'The essence of {topic} fits into a few sentences.',
    ],
    middles: [
      'At its core there is one principle, and most of the details follow from it.',
      'The role of {word} becomes clear once you see a concrete example.',
      'It took shape gradually, as people found out what worked and kept it.',
      'In everyday life you meet it more often than you might expect, usually without noticing.',
      'Experts still argue about the finer points, but the overall picture is well established.',
    ],
    closings: [
      'From here, a worked example would be a natural next step.',
      'If you tell me how much you already know, I can go into more depth.',
    ],
  },
};
