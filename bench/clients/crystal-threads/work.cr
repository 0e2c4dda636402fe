# Fibers on several threads, which hand strings and trees to one another through channels.
class Tree
  getter left : Tree?, right : Tree?

  def initialize(depth : Int32)
    @left, @right = depth > 0 ? {Tree.new(depth - 1), Tree.new(depth - 1)} : {nil, nil}
  end

  def size : Int32
    1 + (left.try(&.size) || 0) + (right.try(&.size) || 0)
  end
end

def count_words(number : Int32) : Hash(String, Int32)
  words = Array.new(4000) { |i| "word-#{(i * (number + 1)) % 613}" }
  words.join(" ").split.tally
end

tasks = Channel(Int32).new(16)
results = Channel(Tuple(Int32, Int32, Hash(String, Int32))).new(16)
count = 240

4.times do
  spawn do
    while number = tasks.receive?
      results.send({number, Tree.new(12 + number % 3).size, count_words(number)})
    end
  end
end
spawn do
  count.times { |number| tasks.send(number) }
  tasks.close
end

sizes = 0_i64
totals = Hash(String, Int32).new(0)
count.times do
  number, size, words = results.receive
  sizes += size * (number + 1)
  words.each { |word, times| totals[word] += times }
end
puts "trees: #{sizes}"
puts "words: #{totals.size}, #{totals.values.sum}, #{totals.to_a.sort_by { |word, times| {-times, word} }.first(3)}"
