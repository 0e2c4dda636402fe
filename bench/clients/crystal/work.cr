# Much of the standard library, for the compiler to type.
require "http/client"
require "http/server"
require "json"
require "yaml"
require "csv"
require "big"
require "complex"
require "digest/sha256"
require "ecr"
require "option_parser"
require "log"
require "benchmark"
require "string_scanner"
require "uri"
require "uuid"

record Order, number : Int32, customer : String, tags : Array(String) do
  include JSON::Serializable
  include YAML::Serializable
end

class Store(T)
  def initialize(@path : String)
    @entries = Hash(String, T).new
  end

  def add(key : String, entry : T)
    Log.info { "#{@path}: #{key}" }
    @entries[key] = entry
  end

  def to_json_text : String
    @entries.to_json
  end

  def to_yaml_text : String
    @entries.to_yaml
  end
end

store = Store(Order).new("orders")
OptionParser.parse { |parser| parser.on("-n NAME", "add") { |name| store.add(name, Order.new(1, name, %w(a b))) } }
CSV.parse("a,b\nc,d").each { |row| store.add(row[0], Order.new(row.size, row[1], row)) }
server = HTTP::Server.new do |context|
  case context.request.path
  when "/json" then context.response.print store.to_json_text
  when "/yaml" then context.response.print store.to_yaml_text
  when "/hash" then context.response.print Digest::SHA256.hexdigest(store.to_json_text)
  else              context.response.print HTTP::Client.get("http://localhost/#{UUID.random}").body
  end
end
puts BigInt.new(2) ** 100, BigDecimal.new("1.5"), Complex.new(1, 2), StringScanner.new("a b").scan(/\w+/), server.closed?
