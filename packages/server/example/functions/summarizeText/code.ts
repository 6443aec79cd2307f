export default ({ text, maxPoints }: Input): Output => {
  const sentences = text.match(/[^.!?]+[.!?]*/g) ?? [];
  return { points: sentences.map((sentence) => sentence.trim()).slice(0, maxPoints) };
};
