# Parses, transforms and prints JSON, keeps records in tables, splits text: what a Crystal service does.
require "json"

class Random16
  def initialize(@state : UInt32); end

  def next(limit : Int32) : Int32
    @state = @state &* 1103515245_u32 &+ 12345_u32
    ((@state >> 8) % limit).to_i
  end
end

record Order, number : Int32, customer : String, lines : Array(Tuple(String, Int32, Float64)) do
  include JSON::Serializable

  def total : Float64
    lines.sum { |line| line[1] * line[2] }
  end
end

def make_order(random : Random16, number : Int32) : Order
  lines = Array.new(1 + random.next(6)) do
    {"article-#{random.next(500)}", 1 + random.next(9), random.next(10000) / 100.0}
  end
  Order.new(number, "customer-#{random.next(2000)}", lines)
end

def work_on_orders(random : Random16) : String
  orders = Array.new(20000) { |number| make_order(random, number) }
  text = orders.to_json
  parsed = Array(Order).from_json(text)
  totals = Hash(String, Float64).new(0.0)
  parsed.each { |order| totals[order.customer] += order.total }
  best = totals.to_a.sort_by { |customer, total| {-total, customer} }.first(3)
  "#{text.bytesize} bytes, best: #{best.map { |customer, total| "#{customer} #{total.round(2)}" }.join(", ")}"
end

def work_on_text(random : Random16) : String
  text = String.build { |io| 150000.times { io << "abcdefghij"[random.next(9)] << (random.next(5) == 0 ? ' ' : 'x') } }
  counts = text.split.tally
  longest = counts.keys.max_by { |word| {word.size, word} }
  "#{counts.size} words, longest #{longest}"
end

class Tree
  getter left : Tree?, right : Tree?

  def initialize(depth : Int32)
    @left, @right = depth > 0 ? {Tree.new(depth - 1), Tree.new(depth - 1)} : {nil, nil}
  end

  def size : Int32
    1 + (left.try(&.size) || 0) + (right.try(&.size) || 0)
  end
end

random = Random16.new(1_u32)
kept = Tree.new(14)
8.times do
  puts work_on_orders(random)
  puts work_on_text(random)
  puts "trees: #{(1..40).sum { Tree.new(10).size } + kept.size}"
end
