export default ({ text, maxPoints }: { text: string; maxPoints: number }) => {
  const sentences = text.match(/[^.!?]+[.!?]*/g) ?? [];
  return { points: sentences.map((sentence) => sentence.trim()).slice(0, maxPoints) };
};
